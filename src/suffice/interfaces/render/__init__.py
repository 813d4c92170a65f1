"""What a person sees: values as lines of styled text. Nothing is decided here, and nothing is printed."""

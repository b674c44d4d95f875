"""Python programs enter as text; what they read and write leaves. They are evaluated symbolically, and never run."""

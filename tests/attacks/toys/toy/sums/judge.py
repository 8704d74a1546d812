"""Nothing of its own: the verifier does all."""

"""What the generators of the primer share: a change here remakes every primer task."""

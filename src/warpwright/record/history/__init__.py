"""What worked in the sessions of this user, over all of them."""

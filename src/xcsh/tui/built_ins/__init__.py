"""The commands of the front end itself, over whatever front end there is (S-21)."""

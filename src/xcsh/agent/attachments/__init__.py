"""Rules for files: given to the model with the first read or change of a file that they are for."""

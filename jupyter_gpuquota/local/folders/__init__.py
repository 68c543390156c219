"""The state folder and the folders of sessions in it."""

"""Chapter 05: what its exercises have in common."""

CHAPTER = "05_in_place_data_detach"

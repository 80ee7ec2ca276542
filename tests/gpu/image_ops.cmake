# Filled by its folder's tests.

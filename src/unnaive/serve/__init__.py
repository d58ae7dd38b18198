"""The service: a model file that answers over HTTP, learns and forgets, and loses nothing when it is killed."""

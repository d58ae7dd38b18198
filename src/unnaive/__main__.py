"""``python -m unnaive`` is the command ``unnaive``."""

from unnaive.cli import main

if __name__ == "__main__":
    main()

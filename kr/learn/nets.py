"""What the training of networks needs beside kr itself."""

from kr.errors import InvalidSettingError


def check_jax() -> None:
    """Raise InvalidSettingError if JAX or optax is missing."""
    try:
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError as error:
        raise InvalidSettingError(
            "training and asking networks needs JAX and optax: pip install 'kr-draughts[nets]', or '.[nets]' in kr's "
            f"checkout ({error})"
        ) from error

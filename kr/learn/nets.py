"""Libraries that the training of networks needs beside kr itself."""

from kr.errors import InvalidSettingError


def check_jax(otherwise: str = "") -> None:
    """Raise InvalidSettingError if JAX or optax is missing. otherwise: end of the message, about a way without them."""
    try:
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError as error:
        raise InvalidSettingError(
            "training and asking networks needs JAX and optax: pip install 'kr-draughts[nets]', or '.[nets]' in kr's "
            f"checkout{otherwise} ({error})"
        ) from error

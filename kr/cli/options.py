"""Typer commands from settings dataclasses, so that every default stands once, beside its field.

How to add a command: a file kr/cli/NAME.py and a line in COMMANDS (kr/cli/__init__.py).

    '''`kr NAME`.'''
    from typing import Annotated
    import typer
    from kr.cli import console, options
    from kr.thing import ThingSettings, do_thing    # a frozen dataclass whose fields are option(...)

    def run(settings: ThingSettings, json: options.Json = False) -> None:
        '''What it does, in one line.

        Example:
            kr NAME --games 1e6
        '''
        with console.progress("thing", settings.games, "games") as progress:
            result = do_thing(settings, on_game=progress.advance)
        console.emit_json(result) if json else print(result.report())

    command = options.command(ThingSettings, run)

`run` may take arguments and options of its own, annotated as typer reads them; a command without settings is
simply such a function named `command`. Every command also gets --quiet, which `console.progress` obeys. Errors that
kr raises become one line and an exit code in kr.cli.main; `console.fail(message)` ends a command whose work failed.
"""

import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from kr.cli import console
from kr.errors import InvalidSettingError
from kr.settings import REQUIRED, check_value

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


def path(text: str | Path) -> Path:
    """For `parser` of typer: a path that is not empty, which would be the current directory."""
    if text == "":
        raise typer.BadParameter("the path is empty")
    return Path(text)


def _option_name(field: dataclasses.Field[Any]) -> str:
    return "--" + (field.metadata["name"] or field.name.strip("_").replace("_", "-"))


def _parameter(field: dataclasses.Field[Any], hint: Any) -> inspect.Parameter:
    """The typer parameter of one settings field; parsed fields and tuples of any length arrive as text and lists."""
    words = field.metadata
    many = get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis
    item = str if words["parse"] else get_args(hint)[0] if many else hint
    annotation = list[item] if many else item  # type: ignore[valid-type]
    default: Any = inspect.Parameter.empty if field.default is REQUIRED else field.default
    help = words["help"]
    show = default not in (None, (), "")
    if words["parse"] and default is not inspect.Parameter.empty:
        help += f"  [default: {words['show'](default)}]" if show else ""
        default, annotation, show = None, annotation | None, False
    elif many and default is not inspect.Parameter.empty:
        default = list(default)
    shown: dict[str, Any] = {"help": help, "metavar": words["metavar"], "show_default": show}
    if item in (Path, Path | None):
        shown |= {"parser": path, "metavar": words["metavar"] or "<path>"}
    if words["argument"]:
        info: Any = typer.Argument(**shown)
    elif hint is bool and default is False:
        info = typer.Option(_option_name(field), help=help)
    elif hint is bool:
        info = typer.Option(f"{_option_name(field)}/--no-{_option_name(field)[2:]}", **shown)
    else:
        info = typer.Option(_option_name(field), **shown)
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=Annotated[annotation, info])


def _value(field: dataclasses.Field[Any], hint: Any, given: Any) -> Any:
    """The field's value from what typer read; None or [] stands for an option that wasn't given."""
    if given in (None, []) and field.default is not REQUIRED:
        return field.default
    words = field.metadata
    where = field.name.upper() if words["argument"] else _option_name(field)
    parse = words["parse"]
    try:
        if isinstance(given, list):
            return tuple(parse(item) if parse else item for item in given)
        value = parse(given) if parse else given
    except InvalidSettingError as error:
        raise InvalidSettingError(f"{where}: {error}") from None
    return check_value(where, hint, words, value)


def command(settings: type, run: Callable[..., None]) -> Callable[..., None]:
    """A function for typer with one parameter a field of `settings`, then those of `run` after its first.

    It calls `run(settings(...), **others)`. Its docstring is that of `run`.
    """
    fields = {field.name: field for field in dataclasses.fields(settings)}
    hints = get_type_hints(settings)
    others = list(inspect.signature(run, eval_str=True).parameters.values())[1:]
    parameters = [_parameter(field, hints[name]) for name, field in fields.items()]
    parameters += [other.replace(kind=inspect.Parameter.KEYWORD_ONLY) for other in others]

    @wraps(run)
    def call(**given: Any) -> None:
        values = {name: _value(field, hints[name], given.pop(name)) for name, field in fields.items()}
        run(settings(**values), **given)

    del call.__wrapped__
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def with_quiet(command: Callable[..., None]) -> Callable[..., None]:
    """The same function for typer with the option --quiet."""
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    if any(parameter.name == "quiet" for parameter in parameters):
        return command
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters.append(inspect.Parameter("quiet", kind, default=False, annotation=Quiet))

    @wraps(command)
    def call(*, quiet: bool, **given: Any) -> None:
        console.set_quiet(quiet)
        command(**given)

    del call.__wrapped__
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call

"""Command lines from functions: each option has one definition, a field of settings or the default of a parameter.

To add a command, write a file kr/cli/NAME.py and a line in COMMANDS (kr/cli/__init__.py).

    '''`kr NAME`.'''
    from kr.cli import console, options
    from kr.thing import ThingSettings, do_thing    # a dataclass of Settings whose fields are option(...)

    @options.command
    def command(settings: ThingSettings, json: bool = options.JSON) -> None:
        '''Do the thing, in one line.

        Example:
            kr NAME --games 1e6
        '''
        with console.progress("thing", settings.games, "games") as progress:
            result = do_thing(settings, on_game=progress.advance)
        console.emit_json(result) if json else console.put(result.report())

A parameter whose type is Settings takes the options of its fields; every other one is an option(...) itself. Every
command also gets --quiet, which `console.progress` obeys. Errors that kr raises become one line and an exit code in
kr.cli.main; `console.fail(message)` ends a command whose work failed.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from kr.cli import console
from kr.engine.limits import Limits, parse_limits
from kr.errors import InvalidSettingError
from kr.settings import REQUIRED, Settings, check_value, option
from kr.system import expand_paths, typed_path
from kr.units import parse_count, parse_duration, parse_size

JSON: Any = option(False, "Print one JSON object instead of text.")
QUIET: Any = option(False, "Show no progress.")


class PathType(click.ParamType[Path]):
    """A path that is not empty, which would be the current directory."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Path from text."""
        if value == "":
            self.fail("the path is empty", param, ctx)
        return typed_path(value)


TYPES: dict[Any, click.ParamType[Any]] = {
    bool: click.BOOL, int: click.INT, float: click.FLOAT, str: click.STRING, Path: PathType()
}  # fmt: skip


METAVARS: dict[Any, str] = {
    parse_count: "COUNT", parse_duration: "TIME", parse_size: "SIZE", parse_limits: "LIMIT", Limits.parse: "LIMIT",
    click.INT: "INTEGER", click.FLOAT: "NUMBER",
    TYPES[Path]: "PATH",
}  # fmt: skip
"""Name of a value in the help, by its parser or type."""


class ValueType(click.ParamType[Any]):
    """The value of one option: parsed, and checked as Settings checks it, so that errors name the option.

    where: the option as it is typed; hint, words: type and metadata of its field.
    """

    def __init__(self, where: str, hint: Any, words: Mapping[str, Any]) -> None:
        self.where, self.hint, self.words = where, hint, words
        of_one = get_args(hint)[0] if get_origin(hint) is tuple else hint
        plain = next((each for each in get_args(of_one) if each is not NoneType), of_one)
        self.text: Any = TYPES.get(plain, click.STRING)
        self.name = words["metavar"] or METAVARS.get(words["parse"] or self.text, "TEXT")

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Name in the help; click adds brackets and dots if an argument may be left out or repeated."""
        return str(self.name)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Value from text; a default is a value already."""
        if ctx and param and ctx.get_parameter_source(param.name) is ParameterSource.DEFAULT:
            return value
        if not self.words["parse"]:
            return check_value(self.where, self.hint, self.words, self.text.convert(value, param, ctx))
        try:
            parsed = self.words["parse"](value)
        except InvalidSettingError as error:
            raise InvalidSettingError(f"{self.where}: {error}") from None
        return check_value(self.where, self.hint, self.words, parsed)


def parameter(field: str, hint: Any, default: Any, words: Mapping[str, Any]) -> click.Parameter:
    """Click parameter of a field, from its name, type, default and metadata."""
    name = words["name"] or field.strip("_").replace("_", "-")
    rest: dict[str, Any] = {"help": _help(default, words)}
    if default is REQUIRED:
        rest["required"] = True
    else:
        rest["default"] = default
    many = get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis
    pair = next((get_args(each) for each in (hint, *get_args(hint)) if get_origin(each) is tuple and not many), None)
    if words["argument"]:
        kind = ValueType(field.upper(), hint, words)
        if many and kind.text is TYPES[Path]:
            rest["callback"] = _expanded
        return click.Argument([field], type=kind, nargs=-1 if many else 1, **rest)
    if hint is bool:
        return click.Option([f"--{name}/--no-{name}" if default else f"--{name}", field], is_flag=True, **rest)
    if pair and not words["parse"]:
        types = tuple(TYPES[each] for each in pair)
        return click.Option([f"--{name}", field], type=types, metavar=words["metavar"], **rest)
    return click.Option([f"--{name}", field], type=ValueType(f"--{name}", hint, words), multiple=many, **rest)


def _expanded(ctx: click.Context, param: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    return expand_paths(paths)


def _help(default: Any, words: Mapping[str, Any]) -> str:
    if default is False or default in (REQUIRED, None, (), ""):
        return str(words["help"])
    shown = "on" if default is True else ", ".join(map(str, default)) if isinstance(default, tuple) else default
    return f"{words['help']}  [default: {words['show'](default) if words['show'] is not str else shown}]"


class Command(click.Command):
    """A command that is named in all its usage errors."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; click leaves the context out of the error if an option lacks its value."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


def command(run: Callable[..., None]) -> click.Command:
    """Command that calls a function with the values of its options. Its help is the function's docstring."""
    hints = get_type_hints(run)
    parameters: list[click.Parameter] = []
    settings: dict[str, Any] = {}
    for name, each in inspect.signature(run).parameters.items():
        if isinstance(hints[name], type) and issubclass(hints[name], Settings):
            settings[name] = hints[name]
            types = get_type_hints(hints[name])
            fields: Any = dataclasses.fields(hints[name])
            parameters += [parameter(field.name, types[field.name], field.default, field.metadata) for field in fields]
        else:
            parameters.append(parameter(name, hints[name], each.default.default, each.default.metadata))
    own_quiet = any(each.name == "quiet" for each in parameters)
    if not own_quiet:
        parameters.append(parameter("quiet", bool, QUIET.default, QUIET.metadata))

    def call(**values: Any) -> None:
        console.set_quiet(not own_quiet and values.pop("quiet"))
        if values.get("cluster"):
            console.show_log("kr.cluster")
        settings_values = {
            name: kind(**{field.name: values.pop(field.name) for field in dataclasses.fields(kind)})
            for name, kind in settings.items()
        }
        run(**settings_values, **values)

    return Command(run.__name__, callback=call, params=parameters, **_texts(inspect.getdoc(run) or ""))


def explicit_parameters() -> set[str]:
    """Names of the parameters that the command line of the running command has, and not by default."""
    context = click.get_current_context()
    return {name for name in context.params if context.get_parameter_source(name) is not ParameterSource.DEFAULT}


class Group(click.Group):
    """A group of commands, which keep their order."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of definition."""
        return list(self.commands)


def group(text: str, commands: dict[str, click.Command]) -> click.Group:
    """Group of commands by name. text: its help, which ends with an example."""
    return Group(commands=commands, **_texts(inspect.cleandoc(text)))


class CommandGroup(Group):
    """A command that has others under it: other words than their names are arguments of the command itself."""

    def __init__(self, own: click.Command, commands: dict[str, click.Command]) -> None:
        super().__init__(commands=commands, help=own.help, short_help=own.short_help, epilog=own.epilog)
        self.own = own

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Context of the command itself, or of the group."""
        if args and args[0] in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        return self.own.make_context(info_name, args or ["--help"], parent, **extra)


def command_group(own: click.Command, commands: dict[str, click.Command]) -> click.Group:
    """A command with others under it, which its docstring describes."""
    return CommandGroup(own, commands)


def _texts(text: str) -> dict[str, Any]:
    """Texts of a command from a docstring: help, its first paragraph for lists, and the lines from "Example" on."""
    help, marker, example = text.partition("\nExample")
    short = " ".join(help.partition("\n\n")[0].split())
    return {"help": help, "short_help": short, "epilog": f"\b\nExample{example.rstrip()}" if marker else ""}

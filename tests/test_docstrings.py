"""Every public name of kr says what it is: by its docstring, or as a method by that of a class above its own."""

import ast
from collections.abc import Iterator, Mapping

import pytest
from sources import PACKAGE, modules, parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


def has_docstring(node: Documented) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def is_setter(method: Function) -> bool:
    """True for the second half of a property, whose first half has the docstring."""
    return any(isinstance(each, ast.Attribute) and each.attr == "setter" for each in method.decorator_list)


def is_documented(name: str, owner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """True if a method of this name has a docstring in a class or in one above it."""
    own = [each for each in owner.body if isinstance(each, Function) and each.name == name]
    bases = [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in owner.bases]
    return any(map(has_docstring, own)) or any(
        is_documented(name, classes[base], classes) for base in bases if base in classes and base != owner.name
    )


def undocumented(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Places and names of public modules, classes, functions and methods that nothing documents."""
    classes = {node.name: node for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)}
    for place, tree in trees.items():
        if not has_docstring(tree):
            yield place
        for node in tree.body:
            if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
                continue
            if not has_docstring(node):
                yield f"{place}:{node.lineno}: {node.name}"
            for method in node.body if isinstance(node, ast.ClassDef) else ():
                if not isinstance(method, Function | ast.ClassDef) or method.name.startswith("_"):
                    continue
                if isinstance(method, ast.ClassDef) or is_setter(method):
                    known = isinstance(method, Function) or has_docstring(method)
                else:
                    known = has_docstring(method) or is_documented(method.name, node, classes)
                if not known:
                    yield f"{place}:{method.lineno}: {node.name}.{method.name}"


def test_public_names_are_documented() -> None:
    trees = {path.relative_to(PACKAGE.parent).as_posix(): parsed(path) for path in modules()}
    assert len(trees) > 300
    assert list(undocumented(trees)) == []


PLAIN = '"""M."""\n'
CLASS = f'{PLAIN}class A:\n    """C."""\n    '


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1", ["m.py"]),
        (f"{PLAIN}def a(): pass\ndef _b(): pass", ["m.py:2: a"]),
        (f"{CLASS}def a(self): pass\n    def _b(self): pass", ["m.py:4: A.a"]),
        (f'{CLASS}def a(self):\n        """F."""\nclass B(A[int]):\n    """C."""\n    def a(self): pass', []),
        (f'{CLASS}def a(self): pass\nclass B(A):\n    """C."""\n    def a(self):\n        """F."""', ["m.py:4: A.a"]),
        (f'{CLASS}@property\n    def a(self):\n        """P."""\n    @a.setter\n    def a(self, value): pass', []),
    ],
)
def test_what_has_no_docstring_is_found(source: str, found: list[str]) -> None:
    assert list(undocumented({"m.py": ast.parse(source)})) == found

"""Modules joined into one script for pages without a server."""

import json
import shutil
import subprocess

import pytest

from kr.viewer import bundle

MODULES = {
    "main.js": 'import {add, Sum as Total} from "./sum.js";\nimport {\n  name,\n} from "./deep-er.js";\n'
    "const hidden = 3;\nconsole.log(name, add(hidden, 4), new Total().value);\n",
    "sum.js": 'import {name as other} from "./deep-er.js";\n/** @import {Name} from "./deep-er.js" */\n'
    "/**\n * A number.\n */\nconst hidden = 1;\n"
    "export const add = (a, b) => a + b;\nexport class Sum { value = `${other} ${hidden}`; }\n",
    "deep-er.js": 'const name = "deep";\nexport async function later() {}\nexport function* each() {}\n'
    "export {name};\n",
}


def test_modules_run_in_the_order_in_which_they_are_needed() -> None:
    script = bundle.script("main.js", MODULES.__getitem__)
    assert script.index("$deep_er = ") < script.index("$sum = ") < script.index("$main = ")
    assert script.count("$deep_er = (") == 1
    assert "/**" not in script
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run it")
    ran = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "deep 7 deep 1\n"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"sum.js": "export const add = 1;\n"}, "main.js imports Sum from sum.js, which has no such export"),
        ({"deep-er.js": 'import {add} from "./main.js";\n'}, "main.js -> sum.js -> deep-er.js -> main.js"),
        ({"main.js": 'import * as all from "./sum.js";\n'}, "can't be joined"),
        ({"main.js": 'import "./sum.js";\n'}, "can't be joined"),
        ({"main.js": "export default 3;\n"}, "can't be joined"),
        ({"main.js": "const a = 1;\nexport {a as b};\n"}, "can't be joined"),
        ({"main.js": "export let changing = 3;\n"}, "can't be joined"),
        ({"main.js": 'const text = "</SCRIPT>";\n'}, "can't be joined"),
        ({"main.js": "// <!-- \n"}, "can't be joined"),
    ],
)
def test_what_cannot_be_joined_is_refused(changed: dict[str, str], error: str) -> None:
    with pytest.raises(bundle.BundleError, match=error):
        bundle.script("main.js", {**MODULES, **changed}.__getitem__)


def test_no_text_in_the_data_ends_its_element() -> None:
    value = {"</script>": ["<!--", "<script>", "\u2028", 1.5, None]}
    text = bundle.data(value)
    assert "<" not in text
    assert json.loads(text) == value
    with pytest.raises(ValueError, match="JSON"):
        bundle.data(float("nan"))


def test_the_policy_names_the_script_and_the_style() -> None:
    # echo -n 'a' | openssl dgst -sha256 -binary | base64
    a, b = "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=", "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0="
    policy = bundle.page_policy("a", "b")
    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{a}'; style-src 'sha256-{b}';" in policy

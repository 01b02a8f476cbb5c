"""Stubs say what the extension module has: the same names, attributes and parameters."""

import ast
import importlib
import inspect
import re
import typing
from pathlib import Path

import pytest
import spec_stub

import gpusim
from gpusim import _gemm_members

PACKAGE = Path(gpusim.__file__).parent
UNIVERSAL = {"__copy__", "__deepcopy__", "__eq__"}  # what they take is Python's to say
STUBS = sorted(path.stem for path in (PACKAGE / "_gpusim").glob("*.pyi"))


def module_of(stub):
    return importlib.import_module("gpusim._gpusim" + ("" if stub == "__init__" else f".{stub}"))


def tree_of(stub):
    return ast.parse((PACKAGE / "_gpusim" / f"{stub}.pyi").read_text())


def own_names(members):
    """Names without those that Python or pybind11 gives every class."""
    return {name for name in members if not name.startswith(("__", "_pybind11_"))}


def stub_members(body):
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and "TypeAlias" not in ast.unparse(node.annotation):
            names.add(node.target.id)
    return own_names(names)


def stub_functions(tree):
    """Parameters by name: of functions, and of methods as Class.method; overloads give several."""
    found = {}

    def add(prefix, body):
        for node in body:
            if isinstance(node, ast.ClassDef):
                add(f"{node.name}.", node.body)
            elif isinstance(node, ast.FunctionDef) and not is_property(node):
                names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                found.setdefault(prefix + node.name, []).append(names)

    add("", tree.body)
    return found


def is_property(node):
    return any(ast.unparse(each) == "property" for each in node.decorator_list)


def bound_parameters(function):
    """Parameters of each signature in what pybind11 wrote into the docstring."""
    name = function.__name__
    signatures = re.findall(rf"^(?:\d+\. )?{name}\((.*)\) -> ", function.__doc__, re.M)
    return [re.findall(r"(?:^|, )(\w+):", signature) for signature in signatures]


@pytest.mark.parametrize("stub", STUBS)
def test_names_agree(stub):
    module = module_of(stub)
    found = own_names(name for name, value in vars(module).items() if not inspect.ismodule(value))
    assert stub_members(tree_of(stub).body) == found


@pytest.mark.parametrize("stub", STUBS)
def test_attributes_agree(stub):
    module = module_of(stub)
    for node in tree_of(stub).body:
        if isinstance(node, ast.ClassDef):
            assert stub_members(node.body) == own_names(vars(getattr(module, node.name))), node.name


@pytest.mark.parametrize("stub", STUBS)
def test_parameters_agree(stub):
    module = module_of(stub)
    for name, parameters in stub_functions(tree_of(stub)).items():
        owner, _, method = name.rpartition(".")
        if method not in UNIVERSAL:
            function = getattr(getattr(module, owner) if owner else module, method)
            assert sorted(bound_parameters(function)) == sorted(parameters), name


def test_the_stub_of_specs_follows_their_lists_of_fields():
    renew = "renew it: PYTHONPATH=build/python python3 tests/python/spec_stub.py"
    assert spec_stub.STUB.read_text() == spec_stub.stub_text(), renew


def test_profile_annotations_agree():
    profile = next(node for node in tree_of("__init__").body if getattr(node, "name", "") == "Profile")
    shown = {node.target.id: ast.unparse(node.annotation) for node in profile.body if isinstance(node, ast.AnnAssign)}
    parts = gpusim.Profile.__annotations__
    assert {name: shown[name] for name in parts} == parts


def test_words_agree():
    assert typing.get_args(gpusim.types.DType) == gpusim.all_dtypes
    assert typing.get_args(gpusim.types.Reason) == gpusim.reason_names
    assert typing.get_args(gpusim.types.Hop) == gpusim.hop_names


def is_settable(value):
    return isinstance(value, property) and value.fset is not None


def test_keyword_arguments_of_generators_are_the_structs_attributes():
    schedules = gpusim.schedules
    for struct, members in (
        (schedules.GemmProblem, _gemm_members.ProblemMembers),
        (schedules.GemmTiling, _gemm_members.TilingMembers),
        (schedules.GemmRequest, _gemm_members.RequestMembers),
    ):
        assert set(members.__annotations__) == {name for name, value in vars(struct).items() if is_settable(value)}


def test_choose_gemm_has_the_defaults_of_cpp():
    """It hands its arguments on by name, and says what they are."""
    bound = re.search(r"\*, (.*)\) -> ", gpusim._gpusim.choose_gemm.__doc__)[1]
    shown = dict(re.findall(r"(\w+): [^=]+ = ([^,)]+)", bound))
    usual = {name: repr(value) for name, value in gpusim.choose_gemm.__kwdefaults__.items()}
    assert usual == shown


def test_the_package_says_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()

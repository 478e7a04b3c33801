"""Runs when a Python program starts with this folder first on PYTHONPATH: attaches the tracer, then makes way.

This is no module of the package: Python imports it by its name. It loads the tracer from where it lies, so that an
interpreter that has no resume-audit installed can be traced, and nothing else becomes importable.
"""

import os
import sys


def _attach(folder: str) -> None:
    import importlib
    import importlib.util

    package = os.path.dirname(os.path.dirname(folder))
    if "resume_audit" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "resume_audit", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        if spec is None or spec.loader is None:
            return
        module = importlib.util.module_from_spec(spec)
        sys.modules["resume_audit"] = module
        spec.loader.exec_module(module)
    importlib.import_module("resume_audit.tracer.environment").attach_from_environment()


def _next(folder: str) -> None:
    """Run the environment's own sitecustomize, which this one stands before."""
    import importlib.machinery
    import importlib.util

    others = [entry for entry in sys.path if os.path.realpath(entry or ".") != folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_folder = os.path.realpath(os.path.dirname(__file__))
try:
    _attach(_folder)
except Exception as error:  # noqa: BLE001 - the program must start whatever happens here
    print(f"resume-audit: not attached: {type(error).__name__}: {error}", file=sys.stderr)
sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != _folder]
_next(_folder)

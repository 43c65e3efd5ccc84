from . import problems as problems

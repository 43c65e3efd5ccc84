from .problem import Problem as Problem
from .problem import load_problems as load_problems
from .solving import Solution as Solution
from .solving import solve as solve

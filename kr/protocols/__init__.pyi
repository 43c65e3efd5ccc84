from . import dxp as dxp
from . import hub as hub

from .decks import DECKS as DECKS
from .decks import Opening as Opening
from .decks import deck as deck
from .decks import opening_plies as opening_plies
from .decks import read_deck as read_deck
from .lines import opening_name as opening_name

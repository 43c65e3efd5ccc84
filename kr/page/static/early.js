// What comes with the page, though it could come later: a server is near. A page without one has another module in its
// place.

import "./analyse/panels.js";

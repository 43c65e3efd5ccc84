"""Region tables fitted to self-play games: samples, the loss, the fit, its report and its checks."""

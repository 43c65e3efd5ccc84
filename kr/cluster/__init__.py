"""Work on many machines: the units of kr.jobs done by the workers of a Dask cluster. Only JSON and bytes cross."""

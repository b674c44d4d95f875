"""Words enter; the jobs and datasets that they may mean leave, the likeliest first, with what matched."""

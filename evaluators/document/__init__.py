"""What a run, a comparison or a check has to say, made once; each way of showing it renders it."""

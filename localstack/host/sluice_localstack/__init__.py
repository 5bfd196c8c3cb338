"""What LocalStack needs to run this project without Docker. `worker` and `runtime.mjs` know nothing of LocalStack."""

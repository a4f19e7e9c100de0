"""The configs of PPO training with settings and values of verl, and the classes that they name: for tests and docs."""

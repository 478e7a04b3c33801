"""What is known of frameworks and libraries: data in TOML and its loaders, standard library only."""

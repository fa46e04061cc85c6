"""Where samples come from: files, bundled data, RGB test beds."""

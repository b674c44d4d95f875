"""What the hub promises about durability, shown on real processes, signals and filesystems."""

"""`crivo trace` and `crivo verify`: where a result comes from, and whether it comes out again."""

// What the compiler needs for nothing.

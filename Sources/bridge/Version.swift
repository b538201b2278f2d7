// The version of the tool.

/// The version that `bridge --version` prints.
let toolVersion = "1.0.0"

// swift-tools-version: 6.2
// A client that depends on the library alone. `make check-client` builds it as its user would and
// looks into the result: no firmware may be linked.

import PackageDescription

let package = Package(
    name: "client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "haptic-bridge", path: "../..")],
    targets: [
        .executableTarget(
            name: "client", dependencies: [.product(name: "HapticBridge", package: "haptic-bridge")]
        ),
        .executableTarget(
            name: "engine", dependencies: [.product(name: "HapticBridge", package: "haptic-bridge")]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
// A client that depends only on the library. `make check-client` builds this package as a user
// would, and checks that the program contains no firmware.

import PackageDescription

let library = Target.Dependency.product(name: "HapticBridge", package: "haptic-bridge")

let package = Package(
    name: "client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "haptic-bridge", path: "../..")],
    targets: [
        .executableTarget(name: "client", dependencies: [library]),
        .executableTarget(name: "engine", dependencies: [library]),
        // Programs that are modeled on public programs, in the language mode of the programs'
        // authors.
        .executableTarget(
            name: "shapes5", dependencies: [library],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(name: "shapes6", dependencies: [library]),
    ],
    swiftLanguageModes: [.v6]
)

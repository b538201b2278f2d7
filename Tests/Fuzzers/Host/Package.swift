// swift-tools-version: 6.2
// The fuzzers of the host as a static library; `make fuzz` links each of them with libFuzzer. The
// fuzzers are a separate package, so that they are not built with the product.

import PackageDescription

let package = Package(
    name: "host-fuzzers",
    platforms: [.macOS(.v15)],
    products: [.library(name: "HostFuzzers", type: .static, targets: ["HostFuzzers"])],
    dependencies: [.package(name: "haptic-bridge", path: "../../..")],
    targets: [
        .target(
            name: "HostFuzzers",
            dependencies: [
                .product(name: "HapticBridge", package: "haptic-bridge"),
                .product(name: "ProgramProtocols", package: "haptic-bridge"),
                .product(name: "AcceptanceReports", package: "haptic-bridge"),
            ])
    ],
    swiftLanguageModes: [.v6]
)

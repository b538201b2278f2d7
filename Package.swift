// swift-tools-version: 6.2

import PackageDescription

/// Warnings are errors where they are looked at: in continuous integration.
let isContinuousIntegration = Context.environment["CI"] != nil

let swiftSettings: [SwiftSetting] = isContinuousIntegration ? [.treatAllWarnings(as: .error)] : []
let cSettings: [CSetting] = [
    .enableWarning("all"), .enableWarning("extra"), .enableWarning("pedantic"),
    .enableWarning("conversion"), .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

func library(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [])
    -> Target
{
    .target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

/// The named patterns.
let systemFeedback = [
    "success", "warning", "error", "impact-light", "impact-medium", "impact-heavy",
    "impact-rigid", "impact-soft", "selection", "alignment", "level-change",
    "generic", "watch-notification", "watch-direction-up", "watch-direction-down",
    "watch-success", "watch-failure", "watch-retry", "watch-start", "watch-stop",
    "watch-click", "crown-detent",
]

let package = Package(
    name: "haptic-bridge",
    platforms: [.macOS(.v15)],
    products: [
        .library(
            name: "HapticBridge", targets: ["HapticBridge", "AHAP", "HapticCompiler", "BridgeLink"]),
        .executable(name: "bridge", targets: ["bridge"]),
        .executable(name: "virtual-board", targets: ["virtual-board"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // C: the protocol's numbers, the firmware core, the chip it drives, the serial library.
        .systemLibrary(name: "CBridgeProtocol", path: "Firmware/protocol"),
        .systemLibrary(
            name: "CSerialPort", pkgConfig: "libserialport",
            providers: [.apt(["libserialport-dev"]), .brew(["libserialport"])]),
        .target(
            name: "CBridgeFirmware", dependencies: ["CBridgeProtocol"], path: "Firmware/core",
            publicHeadersPath: ".", cSettings: cSettings),
        .target(
            name: "CDRV2605Model", path: "Firmware/model", publicHeadersPath: ".",
            cSettings: cSettings, linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),

        // Swift: text to pattern to event stream to messages to frames.
        .target(name: "AHAP", exclude: ["Patterns"], swiftSettings: swiftSettings),
        library(
            "HapticCompiler", ["AHAP", "CBridgeProtocol"],
            resources: [
                .embedInCode("Profiles/reference.json"), .embedInCode("Profiles/lra.json"),
                .embedInCode("Profiles/erm.json"),
            ]),
        library("BridgeLink", ["CBridgeProtocol", "CSerialPort"]),
        library(
            "HapticBridge", ["AHAP", "HapticCompiler", "BridgeLink", logging],
            resources: systemFeedback.map { .embedInCode("Feedback/Patterns/\($0).ahap") }
                + [.embedInCode("Actuators/actuators.json")]),

        // Boards without hardware.
        library(
            "VirtualBoard", ["CBridgeProtocol", "CBridgeFirmware", "CDRV2605Model", "BridgeLink"]),
        .executableTarget(
            name: "virtual-board", dependencies: ["VirtualBoard", "BridgeLink", argumentParser],
            path: "Firmware/boards/virtual", swiftSettings: swiftSettings),

        // The images that boards are flashed with.
        .target(
            name: "ATmega328PFirmware", path: "Firmware/boards/atmega328p",
            exclude: [
                "Makefile", "atmega328p.ld", "bus.c", "clock.c", "line.c", "main.c", "restart.c",
                "storage.c",
            ], sources: ["FirmwareImage.swift"],
            resources: [.embedInCode("atmega328p.hex"), .embedInCode("atmega328p-several.hex")],
            swiftSettings: swiftSettings),

        // Tools.
        .executableTarget(
            name: "bridge",
            dependencies: ["HapticBridge", "VirtualBoard", "ATmega328PFirmware", argumentParser],
            exclude: ["Packaging"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "sampler", dependencies: ["HapticBridge"], path: "Examples/Sampler",
            resources: ["latch", "heartbeat", "ball", "rain", "purr", "spring", "engine", "wave"]
                .map { .embedInCode("Patterns/\($0).ahap") },
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "bench",
            dependencies: [
                "AHAP", "HapticBridge", "HapticCompiler", "BridgeLink", "VirtualBoard",
                "CBridgeProtocol", "TestSupport",
            ],
            swiftSettings: swiftSettings),

        .executableTarget(
            name: "bridge-soak", dependencies: ["Simulation", argumentParser], path: "Sources/soak",
            swiftSettings: swiftSettings),

        .target(
            name: "TestSupport",
            dependencies: [
                "AHAP", "HapticCompiler", "BridgeLink", "VirtualBoard", "CBridgeFirmware",
                "CDRV2605Model",
            ],
            path: "Tests/TestSupport", swiftSettings: swiftSettings),
        .target(
            name: "Simulation",
            dependencies: [
                "BridgeLink", "HapticCompiler", "VirtualBoard", "CBridgeFirmware",
                "CBridgeProtocol", "TestSupport",
            ],
            path: "Tests/Simulation", swiftSettings: swiftSettings),
        tests("AHAPTests", ["AHAP", "TestSupport"]),
        tests("HapticCompilerTests", ["AHAP", "HapticCompiler", "TestSupport"]),
        tests("BridgeLinkTests", ["BridgeLink", "TestSupport"]),
        tests("ModelTests", ["CDRV2605Model"]),
        tests("FirmwareTests", ["TestSupport", "CBridgeFirmware"]),
        tests(
            "VirtualBoardTests",
            ["BridgeLink", "CBridgeProtocol", "HapticCompiler", "VirtualBoard", "TestSupport"]),
        tests(
            "HapticBridgeTests",
            [
                "HapticBridge", "virtual-board", "sampler", "TestSupport", logging,
                .product(name: "InMemoryLogging", package: "swift-log"),
            ]),
        tests(
            "ConformanceTests", ["virtual-board", "Simulation", "TestSupport"],
            exclude: ["run-image.sh"]),
        tests("SimulationTests", ["Simulation", "TestSupport"]),
        tests("SchematicsTests", ["HapticCompiler", "TestSupport"]),
        tests("BridgeToolTests", ["bridge", "virtual-board", "TestSupport"]),
        tests("BoardToolTests", ["bridge", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)

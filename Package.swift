// swift-tools-version: 6.2

import PackageDescription

/// True in continuous integration, where warnings are errors.
let isContinuousIntegration = Context.environment["CI"] != nil

let swiftSettings: [SwiftSetting] = isContinuousIntegration ? [.treatAllWarnings(as: .error)] : []
let cSettings: [CSetting] = [
    .enableWarning("all"), .enableWarning("extra"), .enableWarning("pedantic"),
    .enableWarning("conversion"), .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

/// The SwiftNIO products for a target that serves pages and receives messages. Only the tools use
/// these products.
let live: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map {
    .product(name: $0, package: "swift-nio")
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

func library(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [])
    -> Target
{
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: swiftSettings)
}

let package = Package(
    name: "haptic-bridge",
    platforms: [.macOS(.v15)],
    products: [
        .library(
            name: "HapticBridge",
            targets: [
                "HapticBridge", "PlatformFeedback", "JSONText", "HapticPatterns", "AHAP",
                "HapticCompiler", "PatternFormats", "SoundImport", "BridgeLink", "DRV2605",
                "SerialPorts", "HapticBoards", "BoardEngine",
            ]),
        .library(name: "HapticBridgeSound", targets: ["HapticBridgeSound"]),
        .library(name: "ProgramProtocols", targets: ["ProgramProtocols"]),
        .library(name: "AcceptanceReports", targets: ["AcceptanceReports"]),
        .executable(name: "bridge", targets: ["bridge"]),
        .executable(name: "virtual-board", targets: ["virtual-board"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // C: the protocol constants, the firmware core, the chip model, the serial library, and the
        // math functions of the C library. POSIX: the C library for Swift targets.
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
        .systemLibrary(name: "CMath"),
        library("POSIX", []),

        // The output of sounds in patterns, and the reader for sound files.
        .systemLibrary(
            name: "CSoundFile", pkgConfig: "sndfile",
            providers: [.apt(["libsndfile1-dev"]), .brew(["libsndfile"])]),
        .systemLibrary(
            name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        library(
            "HapticBridgeSound",
            [
                "HapticBridge", "BridgeLink", "SerialPorts", "CSoundFile", "POSIX",
                .target(name: "CALSA", condition: .when(platforms: [.linux])),
            ]),

        // Swift: from the text of a file to a pattern and an event stream.
        library("JSONText", []),
        library("HapticPatterns", ["JSONText", "CMath"]),
        .target(
            name: "AHAP", dependencies: ["JSONText", "HapticPatterns"], exclude: ["Patterns"],
            swiftSettings: swiftSettings),
        library("Checksum", ["CBridgeProtocol"]),
        library(
            "HapticCompiler",
            [
                "JSONText", "HapticPatterns", "Checksum", "CBridgeProtocol", "CMath",
                "EmbeddedFiles",
            ],
            exclude: ["reference", "lra", "erm", "wide-band"].map { "Profiles/\($0).json" }),

        // The other formats of pattern files, each in a folder, and their registry.
        .systemLibrary(
            name: "CDeflate", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        library(
            "PatternFormats", ["JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "CDeflate"]),

        // The conversion of sounds to patterns.
        library(
            "SoundImport",
            [
                "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "PatternFormats", "CMath",
            ]),

        // The protocols of other programs: pattern editors, Buttplug clients, games and senders of Open Sound
        // Control.
        library(
            "ProgramProtocols", ["JSONText", "PatternFormats", "EmbeddedFiles", "CMath"],
            exclude: ["OpenSoundControl/Maps"]),

        library("BridgeLink", ["Checksum", "CBridgeProtocol"]),
        library("DRV2605", ["BridgeLink", "CBridgeProtocol"]),
        // The reports of acceptance tests, which may come from untrusted sources.
        library("AcceptanceReports", ["JSONText", "BridgeLink", "DRV2605"]),
        library("SerialPorts", ["BridgeLink", "CBridgeProtocol", "CSerialPort", "POSIX"]),
        // Boards; the thread of a board, which mixes the patterns of engines; the server that shares a board,
        // and its clients; and the module that apps import.
        library(
            "HapticBoards",
            [
                "HapticCompiler", "BridgeLink", "DRV2605", "SerialPorts", "POSIX", "JSONText",
                "EmbeddedFiles", "Checksum",
            ],
            exclude: ["actuators.json"]),
        library(
            "BoardEngine",
            [
                "HapticPatterns", "HapticCompiler", "BridgeLink", "SerialPorts", "HapticBoards",
                logging,
            ]),
        library(
            "BoardSharing",
            [
                "JSONText", "HapticPatterns", "HapticCompiler", "BridgeLink", "SerialPorts",
                "POSIX", "Checksum", "HapticBoards", "BoardEngine",
            ]),
        library(
            "HapticBridge",
            [
                "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "BridgeLink", "DRV2605",
                "SerialPorts", "POSIX", "CMath", "EmbeddedFiles", "HapticBoards", "BoardEngine",
                "BoardSharing", logging,
            ],
            exclude: ["Feedback/Patterns", "Samples/Patterns"]),
        library("PlatformFeedback", ["HapticBridge"]),

        // The server for pages.
        library("LocalServers", live),

        // The virtual board; and the motion of an actuator: its prediction, the analysis of its measurement, and
        // the fit of a model to its measurement.
        library(
            "VirtualBoard",
            [
                "CBridgeProtocol", "CBridgeFirmware", "CDRV2605Model", "BridgeLink", "DRV2605",
                "SerialPorts", "POSIX", argumentParser,
            ]),
        library(
            "Prediction",
            [
                "JSONText", "HapticPatterns", "HapticCompiler", "BridgeLink", "DRV2605",
                "VirtualBoard", "CDRV2605Model", "CMath",
            ]),
        .executableTarget(
            name: "virtual-board",
            dependencies: ["VirtualBoard", argumentParser],
            path: "Firmware/boards/virtual/Program", swiftSettings: swiftSettings),

        // Files that are embedded by C's #embed, which compiles quickly: the patterns and tables of the library,
        // the images for flashing boards, and the page of the studio.
        .target(name: "CEmbeddedFiles", cSettings: cSettings),
        library("EmbeddedFiles", ["CEmbeddedFiles"]),
        .target(name: "CToolFiles", cSettings: cSettings),

        // The tools: the code that the commands share, flashing, the studio, and the commands.
        library(
            "ToolSupport",
            [
                "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "PatternFormats",
                "BridgeLink", "DRV2605", "SerialPorts", "POSIX", "BoardEngine", "BoardSharing",
                "HapticBridge", "VirtualBoard", "Prediction", "CDRV2605Model", argumentParser,
            ]),
        library(
            "BoardFlashing",
            [
                "JSONText", "BridgeLink", "SerialPorts", "POSIX", "BoardSharing", "HapticBridge",
                "ToolSupport", "CToolFiles",
            ]),
        library(
            "Studio",
            [
                "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "BridgeLink", "DRV2605",
                "SerialPorts", "POSIX", "HapticBridge", "Prediction", "LocalServers",
                "ToolSupport", "CToolFiles",
            ],
            exclude: ["Page"]),
        .executableTarget(
            name: "bridge",
            dependencies: [
                "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "BridgeLink", "DRV2605",
                "SerialPorts", "HapticBridge", "VirtualBoard", "Prediction", "PatternFormats",
                "SoundImport", "POSIX", "LocalServers", "ProgramProtocols", "HapticBridgeSound",
                "AcceptanceReports", "ToolSupport", "BoardFlashing", "Studio", "Checksum",
                argumentParser,
            ],
            exclude: ["Packaging", "Manual.md", "WithoutServers"],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "examples", dependencies: ["HapticBridge"], path: "Sources/examples",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "bench",
            dependencies: [
                "AHAP", "HapticPatterns", "HapticBridge", "HapticCompiler", "BridgeLink", "DRV2605",
                "SerialPorts", "VirtualBoard", "Prediction", "SoundImport", "CBridgeProtocol",
                "HapticBridgeSound", "TestSupport",
            ],
            path: "Tests/Benchmarks",
            swiftSettings: swiftSettings),

        .executableTarget(
            name: "bridge-soak",
            dependencies: [
                "BridgeLink", "DRV2605", "SerialPorts", "HapticCompiler", "VirtualBoard",
                "CBridgeFirmware", "CBridgeProtocol", "TestSupport", argumentParser,
            ],
            path: "Tests/Simulation", swiftSettings: swiftSettings),

        .executableTarget(
            name: "test-programs", dependencies: ["HapticBridge", "LocalServers"],
            path: "Tests/Programs", swiftSettings: swiftSettings),

        .target(
            name: "TestSupport",
            dependencies: [
                "HapticPatterns", "AHAP", "HapticCompiler", "BridgeLink", "DRV2605", "SerialPorts",
                "HapticBoards", "VirtualBoard", "Prediction", "CBridgeProtocol", "CBridgeFirmware",
                "CDRV2605Model", "POSIX", "SoundImport",
            ],
            path: "Tests/Support", swiftSettings: swiftSettings),

        // Tests of patterns, their files, and data from other programs. These tests need neither
        // I/O nor a board.
        tests(
            "PatternTests",
            [
                "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "PatternFormats",
                "SoundImport", "ProgramProtocols", "TestSupport",
            ]),
        // Tests of the protocol, ports, the chip's registers and the schematics, and seeds of the simulation.
        tests(
            "LinkTests",
            [
                "Checksum", "BridgeLink", "DRV2605", "SerialPorts", "HapticCompiler", "POSIX",
                "TestSupport", "bridge-soak",
            ]),
        // Tests of the core and the model of the chip. The sanitizers build only this target.
        tests(
            "FirmwareTests",
            [
                "BridgeLink", "DRV2605", "HapticCompiler", "VirtualBoard", "CBridgeFirmware",
                "CBridgeProtocol", "CDRV2605Model", "TestSupport",
            ]),
        tests(
            "HapticBridgeTests",
            [
                "HapticPatterns", "AHAP", "HapticCompiler", "BridgeLink", "DRV2605", "SerialPorts",
                "HapticBridge", "HapticBridgeSound", "PlatformFeedback", "VirtualBoard",
                "Prediction", "CDRV2605Model", "Checksum", "CBridgeProtocol", "CSoundFile",
                "virtual-board", "examples", "TestSupport", logging,
                .product(name: "InMemoryLogging", package: "swift-log"),
            ]),
        tests(
            "ConformanceTests",
            [
                "AHAP", "HapticCompiler", "BridgeLink", "DRV2605", "SerialPorts", "VirtualBoard",
                "Prediction", "AcceptanceReports", "ToolSupport", "CBridgeProtocol", "bridge",
                "virtual-board", "TestSupport", "bridge-soak",
            ],
            exclude: ["run-image.sh"]),
        tests(
            "BridgeToolTests",
            [
                "HapticPatterns", "AHAP", "HapticCompiler", "BridgeLink", "DRV2605", "LocalServers",
                "HapticBridge", "SerialPorts", "Prediction", "JSONText", "PatternFormats", "POSIX",
                "VirtualBoard", "CDRV2605Model", "CSoundFile", "AcceptanceReports", "ToolSupport",
                "BoardFlashing", "Studio", "bridge", "virtual-board", "TestSupport",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests(
            "RealTimeTests",
            [
                "HapticPatterns", "HapticCompiler", "BridgeLink", "DRV2605", "SerialPorts",
                "HapticBridge", "PlatformFeedback", "VirtualBoard", "LocalServers", "POSIX",
                "bridge", "virtual-board", "examples", "test-programs", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c11
)

extension Target.Dependency {
    /// The name of the target or product.
    fileprivate var name: String {
        switch self {
        case .targetItem(let name, _), .productItem(let name, _, _, _), .byNameItem(let name, _):
            name
        @unknown default: ""
        }
    }
}

extension Package {
    /// Removes all targets except those with the given names and their dependencies, so that only
    /// the remaining targets are built.
    func keep(only names: [String]) {
        let all = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        var needed: Set<String> = []
        var open = names
        while let name = open.popLast() {
            guard let target = all[name], needed.insert(name).inserted else { continue }
            open += target.dependencies.map(\.name)
        }
        targets.removeAll { !needed.contains($0.name) }
        products = []
    }
}

/// For `make play`, BRIDGE_SERVERS=no omits `bridge studio`, `bridge audition`, `bridge serve
/// --buttplug`, `bridge serve --websocket` and SwiftNIO. Only these commands need SwiftNIO, which
/// takes a third of the build time.
if Context.environment["BRIDGE_SERVERS"] == "no" {
    let servers: Set = ["LocalServers", "Studio"]
    for tool in package.targets where tool.name == "bridge" {
        tool.dependencies.removeAll { servers.contains($0.name) }
        tool.exclude = [
            "Packaging", "Manual.md", "Studio", "Audition", "Serving/Buttplug", "Serving/WebSocket",
        ]
    }
    package.keep(only: ["bridge"])
    package.dependencies.removeAll {
        guard case .sourceControl(_, let location, _) = $0.kind else { return false }
        return location.hasSuffix("/swift-nio")
    }
}

/// For the sanitizers, BRIDGE_SUITES lists test targets, separated by commas. Only the listed
/// targets are built.
if let suites = Context.environment["BRIDGE_SUITES"] {
    package.keep(only: suites.split(separator: ",").map(String.init))
}

/// For the build of the tests, which is not optimized as a whole, BRIDGE_HOT=-O optimizes the targets whose
/// speed affects the tests. The flags are set only with this variable, because SwiftPM rejects unsafe flags
/// in a package on which another package depends.
if let flag = Context.environment["BRIDGE_HOT"] {
    let hot: Set = [
        "JSONText", "HapticPatterns", "AHAP", "HapticCompiler", "Checksum", "PatternFormats",
        "BridgeLink", "DRV2605", "SerialPorts", "HapticBoards", "BoardEngine", "BoardSharing",
        "HapticBridge", "VirtualBoard", "Prediction", "SoundImport", "TestSupport", "bridge-soak",
    ]
    for target in package.targets where hot.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Xfrontend", flag])]
    }
}

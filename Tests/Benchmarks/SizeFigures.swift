// Figures of the real files: the size of their streams.

import BridgeLink
import CBridgeProtocol
import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport

/// Figures of the stream bytes per point of the source files.
///
/// A point is a haptic event or a point of a haptic curve. The stream bytes are the event code up
/// to END, without a header or a palette. The firmware's decoder verifies the code.
struct SizeFigures {
    /// The prefix of the names of the files with the eight patterns of Apple's sampler, which all
    /// published comparisons use. The other files are by other authors.
    private static let apple = "AppleHapticSampler-"
    /// The maximum number of event-code bytes in a frame.
    private static let portion = Int(BRIDGE_PAYLOAD_MAX - BRIDGE_EVENTS_SIZE)

    private struct Group {
        var points = 0
        var bytes = 0
        var framed = 0
        var ratios: [Double] = []

        var median: Double { ratios.isEmpty ? 0 : ratios.sorted()[ratios.count / 2] }
    }

    private var apple = Group()
    private var wild = Group()
    private var events = 0
    private var worst: (name: String, expansion: Double, reason: String)?
    private var expansions: [Double] = []
    /// The number of files whose event code the device decodes to events that differ from the
    /// compiled events.
    private var misread = 0

    mutating func add(_ name: String, _ pattern: HapticPattern, _ compiled: CompiledPattern) {
        let points = pattern.hapticPoints
        guard points > 0 else { return }
        if DeviceEvents.decode(compiled.bytes).compactMap(\.listed) != compiled.events {
            misread += 1
        }
        let isApple = name.contains(Self.apple)
        add(points, compiled.bytes, to: isApple ? \.apple : \.wild)
        let expansion = Double(compiled.events.count - 1) / Double(points)
        expansions.append(expansion)
        events += compiled.events.count - 1
        if expansion > worst?.expansion ?? 0 {
            worst = (name, expansion, Self.reason(pattern, compiled.events))
        }
        if ProcessInfo.processInfo.environment["BENCH_FILES"] != nil {
            note(
                "\(name): \(points) points, \(compiled.bytes.count) bytes, \(compiled.events.count) events"
            )
        }
    }

    private mutating func add(
        _ points: Int, _ code: [UInt8], to group: WritableKeyPath<SizeFigures, Group>
    ) {
        self[keyPath: group].points += points
        self[keyPath: group].bytes += code.count
        self[keyPath: group].framed += Self.framed(code)
        self[keyPath: group].ratios.append(Double(code.count) / Double(points))
    }

    /// Returns the number of bytes on the line: OPEN, START and the minimum number of EVENTS frames
    /// that contain the code.
    private static func framed(_ code: [UInt8]) -> Int {
        let encoder = FrameEncoder(session: 1)
        var commands: [Command] = [
            .open(Open(stream: 0, actuators: ActuatorMask(index: 0))),
            .start(Start(stream: 0, isRelative: true, time: 0)),
        ]
        for start in stride(from: 0, to: code.count, by: portion) {
            let bytes = Array(code[start..<min(start + portion, code.count)])
            commands.append(.events(Events(stream: 0, bytes: bytes)))
        }
        return commands.reduce(0) { $0 + encoder.encode(Frame(.command($1))).count }
    }

    /// Describes why a file has more events than points: the numbers of ramps, jumps and continuous
    /// events.
    private static func reason(_ pattern: HapticPattern, _ events: [StreamEvent]) -> String {
        var ramps = 0
        var jumps = 0
        for event in events {
            switch event.content {
            case .levelRamp, .tapGain: ramps += 1
            case .sharpnessRamp(_, let duration) where duration > 0: ramps += 1
            case .level, .levelSharpness, .sharpnessRamp: jumps += 1
            case .tap, .end: break
            }
        }
        let continuous = pattern.events.count { $0.type == .hapticContinuous }
        return "\(ramps) ramps, \(jumps) jumps of \(continuous) continuous events"
    }

    func print() {
        printFigure("points_apple8", apple.points, "points")
        printFigure("points_wild", wild.points, "points")
        print(apple, "apple8")
        print(wild, "wild")
        printFigure("bytes_per_point_wild_median", wild.median, "bytes")
        printFigure("streams_misread", misread, "files")
        printFigure(
            "expansion", Double(events) / Double(apple.points + wild.points), "events_per_point")
        printFigure(
            "expansion_mean", expansions.reduce(0, +) / Double(max(expansions.count, 1)),
            "events_per_point")
        if let worst {
            printFigure("expansion_max", worst.expansion, "events_per_point")
            note("most expanded: \(worst.name): \(worst.reason)")
        }
    }

    private func print(_ group: Group, _ name: String) {
        let points = Double(max(group.points, 1))
        printFigure("bytes_per_point_\(name)", Double(group.bytes) / points, "bytes")
        printFigure("bytes_per_point_\(name)_framed", Double(group.framed) / points, "bytes")
    }
}

extension HapticPattern {
    /// The number of haptic events and points of haptic curves in the file.
    var hapticPoints: Int {
        events.count(where: \.type.isHaptic)
            + curves.lazy.filter(\.id.isHaptic).map(\.points.count).reduce(0, +)
    }
}

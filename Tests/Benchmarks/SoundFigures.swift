// Figures for the synchronization of sounds and taps: the time difference, on one clock, between
// the sound on a null sink and the bus traffic of a virtual board.

import BoardSharing
import BridgeLink
import Foundation
import HapticBridge
import HapticBridgeSound
import SerialPorts
import TestSupport

enum SoundFigures {
    /// The interval between two clicks, in seconds.
    private static let interval = 0.25
    private static let seconds = 60.0
    private static let starts = 10

    static func print() throws {
        guard let server = try SoundServer() else {
            return note("bench: sound: skipped, PulseAudio is not installed")
        }
        let folder = Folder()
        let board = try MeasuredBoard.virtual()
        HapticSound.install()
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        usleep(1_000_000)
        try clicks(on: engine, board, folder)
        try manySounds(on: engine, folder)
        withExtendedLifetime(server) {}
    }

    /// Plays clicks and taps at the same times for a minute.
    private static func clicks(
        on engine: HapticEngine, _ board: MeasuredBoard, _ folder: Folder
    ) throws {
        note("taps with clicks, for \(Int(seconds)) s")
        try writeClick("click.wav", folder)
        let count = Int(seconds / interval)
        let events = (0..<count).flatMap { index in
            let time: Double = interval * Double(index)
            return [tap(at: time), sound("click.wav", time)]
        }
        let file = try folder.write("clicks.ahap", pattern(events))
        let recording = try SoundRecording()
        usleep(500_000)
        try engine.playPattern(from: URL(fileURLWithPath: file))
        usleep(UInt32((seconds + 1) * 1_000_000))
        let heard = recording.onsets()
        let felt = board.onsets.map { Double($0.microseconds) }
        let errors = felt.compactMap { tap in
            heard.map { ($0 - tap) / 1_000 }.min { abs($0) < abs($1) }
        }.filter { abs($0) < interval * 500 }
        guard errors.count >= count * 9 / 10 else {
            return note("bench: sound: \(errors.count) of \(count) clicks were recorded")
        }
        let deviations = Deviations(errors.map(abs))
        printFigure("sound_error_ms_p50", deviations.percentile(0.5), "ms")
        printFigure("sound_error_ms_p99", deviations.percentile(0.99), "ms")
        printFigure("sound_time_bound_ms", Double(SoundRecording.block), "ms")
        let part = Int(10 / interval)
        let (first, last) = (errors.prefix(part).sorted(), errors.suffix(part).sorted())
        let drift = last[last.count / 2] - first[first.count / 2]
        printFigure("sound_drift_ms", abs(drift), "ms")
    }

    /// Plays a file with 27 sounds, and measures the time from the request to the first sound.
    private static func manySounds(on engine: HapticEngine, _ folder: Folder) throws {
        note("a file with 27 sounds, \(starts) times")
        let names = (0..<27).map { "sound\($0).wav" }
        for name in names { try writeClick(name, folder) }
        let file = URL(
            fileURLWithPath: try folder.write(
                "many.ahap", pattern([tap(at: 0)] + names.map { sound($0, 0) })))
        let recording = try SoundRecording()
        usleep(500_000)
        var requests: [HostTime] = []
        for run in 0..<starts {
            requests.append(Link.now())
            try engine.playPattern(from: file)
            usleep(UInt32(300_000 + run * 1_700))
        }
        let heard = recording.onsets()
        let delays = requests.compactMap { request in
            heard.map { ($0 - Double(request.microseconds)) / 1_000 }.filter { $0 > 0 }.min()
        }
        guard let worst = delays.max(), delays.count == starts else {
            return note("bench: sound: \(delays.count) of \(starts) starts were recorded")
        }
        printFigure("sounds_27_start_ms", worst, "ms")
    }

    private static func pattern(_ events: [String]) -> String {
        "{\"Version\": 1, \"Pattern\": [\n\(events.joined(separator: ",\n"))]}\n"
    }

    private static func tap(at time: Double) -> String {
        """
        {"Event": {"Time": \(time), "EventType": "HapticTransient", "EventParameters": [
         {"ParameterID": "HapticIntensity", "ParameterValue": 1}]}}
        """
    }

    private static func sound(_ name: String, _ time: Double) -> String {
        """
        {"Event": {"Time": \(time), "EventType": "AudioCustom", "EventWaveformPath": "\(name)",
         "EventParameters": []}}
        """
    }

    /// Writes a sound file with a click of 10 ms at 2 kHz. The click begins with its peak.
    private static func writeClick(_ name: String, _ folder: Folder) throws {
        let samples = (0..<480).map { index in
            let time = Double(index)
            let decay: Double = exp(-time / 100)
            let wave: Double = cos(2 * Double.pi * time / 24)
            return Int16(28_000 * decay * wave)
        }
        var data = Data("RIFF".utf8)
        func append<Number: FixedWidthInteger>(_ value: Number) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(36 + 2 * samples.count))
        data.append(Data("WAVEfmt ".utf8))
        append(UInt32(16))
        for value: UInt16 in [1, 1] { append(value) }
        for value: UInt32 in [48_000, 96_000] { append(value) }
        for value: UInt16 in [2, 16] { append(value) }
        data.append(Data("data".utf8))
        append(UInt32(2 * samples.count))
        for sample in samples { append(sample) }
        _ = try folder.write(name, data)
    }
}

// SoundServer: a private PulseAudio server with a null sink, and a recording of the sink's output.

import BridgeLink
import Foundation
import HapticBridge
import SerialPorts
import TestSupport

/// A sound server for this process, which needs no sound card. The server ends when the object is
/// released.
final class SoundServer {
    private let folder = Folder()
    private let server: Process

    /// Starts the server and makes it the default ALSA device of this process. Returns nil if
    /// PulseAudio is not installed.
    init?() throws {
        let program = "/usr/bin/pulseaudio"
        guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
        let socket = folder.path("native")
        let configuration = try folder.write(
            "alsa.conf", "</usr/share/alsa/alsa.conf>\npcm.!default { type pulse }\n")
        setenv("PULSE_SERVER", "unix:\(socket)", 1)
        setenv("ALSA_CONFIG_PATH", configuration, 1)
        setenv("XDG_RUNTIME_DIR", folder.url.path, 1)
        server = Process()
        server.executableURL = URL(fileURLWithPath: program)
        server.arguments = [
            "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
            "--load=module-null-sink sink_name=bench rate=48000",
            "--load=module-native-protocol-unix auth-anonymous=1 socket=\(socket)",
        ]
        server.standardError = FileHandle.nullDevice
        try server.run()
        guard wait(seconds: 10, until: { FileManager.default.fileExists(atPath: socket) }) else {
            return nil
        }
        usleep(300_000)
    }

    deinit { server.terminate() }
}

/// A recording of the sink's output, with the host time of each frame.
///
/// The monitor of a null sink passes on each block when the sink accepts it, so a frame arrives at most one
/// block before its playback, plus a transport delay. The time of a frame is calculated from the
/// earliest arrival within half a second before and after the frame. More distant arrivals are not
/// used, because the server occasionally repeats frames, so that all following frame numbers are
/// too high. Near a repetition, times are wrong by the number of repeated frames.
final class SoundRecording: @unchecked Sendable {
    private let recorder = Process()
    private let pipe = Pipe()
    private let data = LockedValue<(samples: [Float], arrivals: [Arrival])>(([], []))
    private let isOver = LockedValue(false)

    /// The number of frames that have been received by a given time.
    private struct Arrival {
        /// The number of frames that have been received.
        let count: Int
        /// The host time of frame 0, in microseconds, calculated from this arrival.
        let origin: Double
    }

    /// The number of frames before and after a frame whose arrivals determine the time of the
    /// frame: half a second.
    private static let around = 24_000

    /// The requested block size, in milliseconds, which limits the error of the times.
    static let block = 2

    init() throws {
        recorder.executableURL = URL(fileURLWithPath: "/usr/bin/parec")
        recorder.arguments = [
            "-d", "bench.monitor", "--format=float32le", "--rate=48000", "--channels=1",
            "--latency-msec=\(Self.block)", "--process-time-msec=\(Self.block)",
        ]
        recorder.standardOutput = pipe
        try recorder.run()
        let file = pipe.fileHandleForReading
        Thread.start("bench.recording", qualityOfService: .userInteractive) { [self] in
            while true {
                let bytes = file.availableData
                guard !bytes.isEmpty else { return isOver.withLock { $0 = true } }
                handle(bytes, at: Link.now())
            }
        }
    }

    private func handle(_ bytes: Data, at now: HostTime) {
        let samples = bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        data.withLock { data in
            data.samples += samples
            let count = data.samples.count
            let origin = Double(now.microseconds) - Double(count) / 0.048
            data.arrivals.append(Arrival(count: count, origin: origin))
        }
    }

    /// Ends the recording. Returns the host times, in microseconds, at which sound begins after a
    /// silence of 50 ms.
    func onsets() -> [Double] {
        recorder.terminate()
        // Process.waitUntilExit() does not return while the server is running.
        _ = wait(seconds: 5) { isOver.withLock { $0 } }
        return data.withLock { data in
            var onsets: [Double] = []
            var last = -2_400
            for (index, sample) in data.samples.enumerated() where abs(sample) > 0.2 {
                if index - last >= 2_400 {
                    let origins = data.arrivals.lazy.filter {
                        abs($0.count - index) < Self.around
                    }.map(\.origin)
                    if let origin = origins.min() { onsets.append(origin + Double(index) / 0.048) }
                }
                last = index
            }
            return onsets
        }
    }
}

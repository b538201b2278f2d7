// SoundOutput: what a program installs so that engines can be heard. This library opens no sound
// device by itself and is linked with no library for it.

import BridgeLink
import SerialPorts

/// A way to read sound files and to play frames.
package protocol SoundOutput: Sendable {
    /// True if there is a sound device at present.
    var isAvailable: Bool { get }

    /// Returns the sound in a file.
    ///
    /// - Throws: an error that names the file, for one that cannot be read.
    func samples(ofFile path: String) throws -> SoundSamples

    /// Begins to play what `render` returns, on a thread of its own, until the stream is closed.
    ///
    /// - Parameter failed: receives the reason once nothing is heard, because there is no device or it has
    ///   stopped, and nil once a device plays again.
    func open(
        _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
    ) -> any SoundStream
}

/// Returns the frames that are heard from a host time on; nil once there is nobody to render.
package typealias SoundRendering = @Sendable (SoundWindow) -> SoundFrames?

/// Frames with the host times at which they are heard.
package struct SoundWindow: Sendable, Equatable {
    /// The host time at which the first frame is heard, in microseconds.
    package var start: Double
    /// The time from one frame to the next, in microseconds.
    package var step: Double
    /// The number of frames.
    package var count: Int

    /// Makes a window.
    package init(start: Double, step: Double, count: Int) {
        (self.start, self.step, self.count) = (start, step, count)
    }

    /// The host time behind the last frame, in microseconds.
    var end: Double { start + step * Double(count) }

    /// Returns the first frame that is not before a host time, 0...count.
    ///
    /// Host times are whole microseconds, so the time of a frame is rounded up. A window then begins
    /// and ends where spans do that reach from the end of one window to that of the next.
    func frame(at time: HostTime) -> Int {
        let distance = ((Double(time.microseconds) - 1 - start) / step).rounded(.down) + 1
        return Int(min(max(distance, 0), Double(count)))
    }

    /// Returns the host time of a frame, in microseconds.
    func time(of frame: Int) -> Double { start + step * Double(frame) }
}

/// A stream of frames to a sound device.
package protocol SoundStream: Sendable {
    /// Ends the stream after what was rendered is heard.
    func close()
}

/// The output that the program has installed.
package enum InstalledSound {
    /// The output of a program.
    private struct Installed: Sendable {
        let output = LockedValue<(any SoundOutput)?>(nil)
    }

    private static var installed: Installed { HostProgram.current.value { Installed() } }

    /// The output; nil if none is installed, so that nothing is heard.
    package static var output: (any SoundOutput)? { installed.output.withLock { $0 } }

    /// Installs an output, or removes it.
    package static func install(_ output: (any SoundOutput)?) {
        installed.output.withLock { $0 = output }
    }
}

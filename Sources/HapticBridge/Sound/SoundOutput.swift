// SoundOutput: the interface that a program implements and installs to play the sound of engines.
// This library opens no sound device itself and does not link a sound library.

import SerialPorts

/// A type that reads sound files and plays frames.
package protocol SoundOutput: Sendable {
    /// True if a sound device is currently available.
    var isAvailable: Bool { get }

    /// Returns the samples of a sound file.
    ///
    /// - Throws: an error that names the file if the file cannot be read.
    func samples(ofFile path: String) throws -> SoundSamples

    /// Begins to play the frames that `render` returns, on a separate thread, until the stream is
    /// closed.
    ///
    /// - Parameter failed: a closure that receives the reason when playback fails because there is
    ///   no device or the device has stopped, and nil when a device plays again.
    func open(
        _ render: @escaping SoundRendering, failed: @escaping @Sendable (String?) -> Void
    ) -> any SoundStream

    /// Opens the device of voice coils and plays the frames that `render` returns on their
    /// channels, on a separate thread, until the stream is closed or the device is lost.
    ///
    /// - Parameter lost: a closure that receives the reason when the device has stopped. The stream
    ///   has then ended.
    /// - Throws: an error with the reason why the device cannot be opened.
    func open(
        _ coils: VoiceCoils, _ render: @escaping SoundRendering,
        lost: @escaping @Sendable (String) -> Void
    ) throws -> any SoundStream
}

/// Returns the frames for a window of host times; nil if no more frames are needed.
package typealias SoundRendering = @Sendable (SoundWindow) -> SoundFrames?

/// A stream of frames to a sound device.
package protocol SoundStream: Sendable {
    /// Ends the stream after the rendered frames have been played. For voice coils, the call waits
    /// until the coils are at rest.
    func close()

    /// Waits until the host times of the frames are known and frames are rendered, or until the
    /// stream has ended.
    func waitUntilTimed()
}

/// The storage for the sound output that the program has installed.
package enum InstalledSound {
    /// The storage for the installed output.
    private struct Installed: Sendable {
        let output = LockedValue<(any SoundOutput)?>(nil)
    }

    private static var installed: Installed { HostProgram.current.value { Installed() } }

    /// The installed output; nil if no output is installed, so that no sound plays.
    package static var output: (any SoundOutput)? { installed.output.withLock { $0 } }

    /// Installs an output; nil removes the installed output.
    package static func install(_ output: (any SoundOutput)?) {
        installed.output.withLock { $0 = output }
    }
}

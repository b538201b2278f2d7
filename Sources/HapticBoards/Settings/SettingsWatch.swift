// SettingsWatch: detects changes by the user and by other programs during playback.

import Foundation
import POSIX
import SerialPorts

/// A watch for changes of the user's settings, quiet hours and silence.
///
/// The watch has no thread: the owner polls it several times per second. A poll takes a few
/// microseconds unless something has changed. For example, during a playback:
///
///     if let change = watch.change() { board.apply(change) }
public struct SettingsWatch: Sendable {
    /// The effect of the settings at the last poll.
    public private(set) var present: EffectiveHaptics
    /// The reason why the file was rejected at the last attempt to read the file; nil if the file
    /// was valid. After a rejection, the settings that were read before remain in effect.
    public private(set) var refusal: HapticSettings.Refusal?

    private let file: String
    private let silence: HapticSilence.Folder?
    private var settings: HapticSettings
    private var stamp: FileStamp?

    /// The recommended polling interval.
    public static let interval = Duration.milliseconds(200)

    /// Reads the user's settings.
    ///
    /// - Parameters:
    ///   - file: the path of the settings file.
    ///   - date: the time; nil for the current time.
    /// - Throws: `HapticSettings.Refusal` if the file does not contain valid settings.
    public init(file: String = HapticSettings.file, at date: Date? = nil)
        throws(HapticSettings.Refusal)
    {
        try self.init(file: file, silence: .ofUser, at: date ?? hostClock.date)
    }

    package init(
        file: String, silence: HapticSilence.Folder?, at date: Date
    ) throws(HapticSettings.Refusal) {
        self.file = file
        self.silence = silence
        stamp = FileStamp(file)
        settings = try HapticSettings(file: file)
        present = settings.effective(at: date, isSilent: silence?.isAsked == true)
    }

    /// Checks for changes. Returns the new effect; nil if the effect has not changed.
    ///
    /// - Parameter date: the time; nil for the current time.
    public mutating func change(at date: Date? = nil) -> EffectiveHaptics? {
        let stamp = FileStamp(file)
        if stamp != self.stamp {
            self.stamp = stamp
            do {
                settings = try HapticSettings(file: file)
                refusal = nil
            } catch {
                refusal = error
            }
        }
        let before = present
        present = settings.effective(
            at: date ?? hostClock.date, isSilent: silence?.isAsked == true)
        return (before.unfelt, before.gain) == (present.unfelt, present.gain) ? nil : present
    }
}

/// The identity of a file's content, which changes when the file is replaced or written.
private struct FileStamp: Equatable {
    private let inode: UInt64
    private let size: Int64
    private let modified: Int64
    private let nanoseconds: Int

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        (modified, nanoseconds) = (Int64(time.tv_sec), time.tv_nsec)
    }
}

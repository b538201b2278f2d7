// SettingsWatch: notices changes of the user's settings while a board is served.

import BridgeLink
import Foundation

/// Reads the user's settings again when their file has changed.
struct SettingsWatch {
    private var settings: HapticSettings
    private var stamp: Stamp?
    private var nextLookAt: HostTime = 0

    /// The facts by which a change of the file is noticed.
    private struct Stamp: Equatable {
        var date: Date?
        var number: Int?
        var size: Int?
    }

    /// The time between two looks at the file, in microseconds.
    private static let interval: Microseconds = 200_000

    /// Makes a watch that knows the settings that apply.
    init(_ settings: HapticSettings) { self.settings = settings }

    /// Returns the settings if they have changed. A file that is not valid changes nothing.
    mutating func change(at now: HostTime) -> HapticSettings? {
        guard now >= nextLookAt else { return nil }
        nextLookAt = now + Self.interval
        let file = HapticSettings.file
        let facts = try? FileManager.default.attributesOfItem(atPath: file)
        let present = Stamp(
            date: facts?[.modificationDate] as? Date, number: facts?[.systemFileNumber] as? Int,
            size: facts?[.size] as? Int)
        guard present != stamp else { return nil }
        stamp = present
        guard let read = try? HapticSettings(file: file), read != settings else { return nil }
        settings = read
        return read
    }
}

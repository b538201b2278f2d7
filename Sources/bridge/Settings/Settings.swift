// bridge settings: shows and changes the user's settings for all playback.

import ArgumentParser
import BridgeLink
import Foundation
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct Settings: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change the user's settings for all haptics.",
        discussion: """
            Without a change, shows the settings and whether haptics are currently felt. A change \
            is stored in the user's settings file and takes effect immediately, even during \
            playback. A file with an unknown member is refused, because it may be a misspelled setting.

            Examples:
              bridge settings
              bridge settings off
              bridge settings gain 0.5
              bridge settings quiet 22:00-07:00
              bridge settings quiet none
              bridge settings audio-delay 180
            """)

    @Argument(
        help: ArgumentHelp(
            "The change: on, off, gain FACTOR, quiet HH:MM-HH:MM (or none), or audio-delay MS.",
            discussion: """
                off: nothing is felt until `on`. gain: the factor by which everything is weakened, \
                0 to 1. quiet: the hours of each day, in local time, in which nothing is felt; \
                they may extend past midnight. audio-delay: the delay of sound in addition to the \
                delay that the device reports, -1000 to 1000 ms, for wireless headphones.
                """,
            valueName: "change"))
    var change: [String] = []

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws { _ = try requested() }

    /// A change to the settings.
    private enum Change {
        case on(Bool)
        case gain(Double)
        case quiet(QuietHours?)
        case audioDelay(Duration)
    }

    /// Returns the requested change; nil if no change is requested.
    private func requested() throws -> Change? {
        switch (change.first, change.dropFirst().first, change.count) {
        case (nil, _, _): return nil
        case ("on", nil, _): return .on(true)
        case ("off", nil, _): return .on(false)
        case ("gain", let value?, 2):
            guard let gain = Double(value), 0...1 ~= gain else {
                throw ValidationError("\(value): a gain must be 0 to 1.")
            }
            return .gain(gain)
        case ("quiet", "none", 2): return .quiet(nil)
        case ("quiet", let value?, 2):
            guard let hours = QuietHours(value) else {
                throw ValidationError(
                    "\(value): quiet hours are HH:MM-HH:MM with two different times, or none.")
            }
            return .quiet(hours)
        case ("audio-delay", let value?, 2):
            guard let delay = Double(value), -1_000...1_000 ~= delay else {
                throw ValidationError(
                    "\(value): an audio delay must be -1000 to 1000 milliseconds.")
            }
            return .audioDelay(.milliseconds(delay))
        default:
            let words = change.joined(separator: " ")
            let names = ["on", "off", "gain", "quiet", "audio-delay"]
            let near = names.contains(change[0]) ? nil : suggestion(for: change[0], among: names)
            throw ValidationError(
                "\(words): a change is on, off, gain FACTOR, quiet HOURS, or audio-delay MS"
                    + (near.map { "; \($0)" } ?? "."))
        }
    }

    func run() throws {
        let settings =
            if let change = try requested() {
                try changed(change)
            } else {
                try HapticSettings.ofUser()
            }
        let effective = settings.effective(at: hostClock.date)
        try output.result(json(settings, effective), text: text(settings, effective))
    }

    private func changed(_ change: Change) throws(ToolError) -> HapticSettings {
        do {
            return try HapticSettings.change { settings in
                switch change {
                case .on(let isOn): settings.isOn = isOn
                case .gain(let gain): settings.gain = gain
                case .quiet(let hours): settings.quietHours = hours
                case .audioDelay(let delay): settings.audioDelay = delay
                }
            }
        } catch let refusal as HapticSettings.Refusal {
            throw ToolError(refusal)
        } catch {
            throw ToolError(
                .cannotCreate,
                "\(HapticSettings.file): cannot be written: \(error.localizedDescription)",
                advice: "`ls -ld` on the folder shows whether you can write to it")
        }
    }

    private func text(_ settings: HapticSettings, _ effective: EffectiveHaptics) -> String {
        let change = effective.nextChange?.formatted(Self.time)
        let present =
            switch effective.unfelt {
            case nil: "yes" + (change.map { ", until quiet hours begin at \($0)" } ?? "")
            case .quietHours?: "no: quiet hours" + (change.map { ", until \($0)" } ?? "")
            case let reason?: "no: \(Unfelt.user(reason).text)"
            }
        return """
            haptics      \(settings.isOn ? "on" : "off")
            gain         \(settings.gain.text(decimals: 2))
            quiet hours  \(settings.quietHours?.description ?? "none")
            audio delay  \((settings.audioDelay / .milliseconds(1)).text(decimals: 0)) ms
            felt now     \(present)
            file         \(HapticSettings.file)
            """
    }

    private static var time: Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(timeZone: .current).dateSeparator(.dash).year().month().day()
            .dateTimeSeparator(.space).time(includingFractionalSeconds: false)
    }

    private func json(_ settings: HapticSettings, _ effective: EffectiveHaptics) -> JSONValue {
        [
            "schema": "bridge.settings/1",
            "file": .string(HapticSettings.file),
            "haptics": JSONValue(.bool(settings.isOn)),
            "gain": .thousandths(Int((settings.gain * 1_000).rounded())),
            "quiet": .string(settings.quietHours?.description),
            "audio_delay_us": .number(Microseconds(settings.audioDelay)),
            "unfelt": .string(effective.unfelt?.rawValue),
            "changes_at": .string(effective.nextChange?.formatted(.iso8601)),
        ]
    }
}

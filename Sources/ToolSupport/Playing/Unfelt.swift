// Unfelt: the reasons why no haptics are felt during a playback.

import HapticBridge

/// A reason why no haptics are felt although a pattern is playing.
package enum Unfelt: Equatable {
    /// A preview, which only displays the pattern.
    case preview
    /// The option `--mute`.
    case muted
    /// The user's settings, or a silence requested by a program.
    case user(EffectiveHaptics.Unfelt)

    /// The name of the reason in JSON.
    package var word: String {
        switch self {
        case .preview: "preview"
        case .muted: "muted"
        case .user(let reason): reason.rawValue
        }
    }

    /// The reason as text.
    package var text: String {
        switch self {
        case .preview: "this was a preview, without a board"
        case .muted: "--mute"
        case .user(.off): "haptics are off in \(HapticSettings.file)"
        case .user(.quietHours): "the quiet hours in \(HapticSettings.file) apply"
        case .user(.silence): "a program requests silence"
        case .user(.gain): "the gain is 0"
        }
    }
}

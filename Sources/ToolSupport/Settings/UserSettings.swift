// UserSettings: reads the user's settings for a command.

import HapticBridge

extension HapticSettings {
    /// Returns the settings from the user's file. Throws `ToolError` if the file is invalid.
    package static func ofUser() throws(ToolError) -> HapticSettings {
        do {
            return try HapticSettings(file: file)
        } catch {
            throw ToolError(error)
        }
    }
}

extension ToolError {
    /// Creates an error for an invalid settings file.
    package init(_ refusal: HapticSettings.Refusal) {
        self.init(
            .badData, refusal.description,
            advice:
                "fix the file, or delete it: without the file, everything plays at its designed "
                + "strength")
    }
}

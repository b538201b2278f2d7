// The error code with which a call of Core Haptics' API was refused.

import HapticBridge

/// Returns the code of the error that `body` throws; nil if it throws none, or one of another type.
func code(of body: () throws -> Void) -> CHHapticError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CHHapticError)?.code
    }
}

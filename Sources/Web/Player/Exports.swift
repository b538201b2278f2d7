// Exports
import AHAP

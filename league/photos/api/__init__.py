"""Photos in the API: uploads, pictures, and proposed and settled counts."""
